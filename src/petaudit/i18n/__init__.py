"""What petaudit says, in English and in Traditional Chinese."""
