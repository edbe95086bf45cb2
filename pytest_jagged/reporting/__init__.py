"""Records → report → terminal, JSON, CSV; everything here is a function of stored records."""
