"""What the library owns: tools, versions, skills, memory, policies, and how they are found."""
