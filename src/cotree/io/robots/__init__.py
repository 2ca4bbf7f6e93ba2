"""What URDF and SDF have in common: links and joints with frames, and the mechanism that they make."""
