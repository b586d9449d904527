"""The agents that answer a question: formalize, verify, decide, correct; they test what was meant, and give advice."""
