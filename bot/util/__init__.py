"""Small tools that several packages of this ring share."""
