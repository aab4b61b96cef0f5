"""What is owned beside tools: documents, memory, graph, policies, prompts, skills."""
