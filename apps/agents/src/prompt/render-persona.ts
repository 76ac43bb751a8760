export type Persona = {
  systemPrompt: string;
  role?: string;
  personality?: string;
  mission?: string;
  decisionStyle?: string;
};

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
