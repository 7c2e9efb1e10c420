"""What agents wrote, made safe to look at. Nothing they wrote runs, loads or steers anything."""
