"""What results together say of a release: verdict, document, policies, columns to review."""
