/** Fields of an agent for its prompt; blank ones were not set. */
export type Persona = {
  systemPrompt: string;
  role?: string;
  personality?: string;
  mission?: string;
  decisionStyle?: string;
};

/** Renders the beginning of every prompt: the system prompt, then the fields that are set. */
export const renderPersona = (persona: Persona): string => {
  const fields = [
    ['Role', persona.role],
    ['Personality', persona.personality],
    ['Mission', persona.mission],
    ['Decision style', persona.decisionStyle],
  ] as const;
  const lines = fields.flatMap(([name, value = '']) =>
    value.trim() === '' ? [] : [`${name}: ${value.trim()}`],
  );
  return [persona.systemPrompt.trim(), lines.join('\n')].filter((part) => part !== '').join('\n\n');
};
