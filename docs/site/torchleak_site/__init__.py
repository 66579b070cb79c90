"""What the documentation site is made of, besides Markdown. docs/site/README.md says how it fits together."""
