"""Records and answers of the API."""
