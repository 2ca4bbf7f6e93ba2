"""How compiled code is made, stored, called and fed. Nothing here knows mechanics."""
