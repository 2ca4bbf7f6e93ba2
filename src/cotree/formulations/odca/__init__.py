"""Forward dynamics by divide and conquer [DCA], O(n + m), on the motion algebras of the bodies.

Unknowns are the bodies' accelerations in the world frame, in coordinates of the algebra in which each body moves. Joints and
constraints are rows between bodies; an assembly plan says in which order bodies are joined. See docs/odca.md.
"""
