import { invalidRequest } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import type { AgentChange } from './agent.ts';

/** Maximum lengths of a persona's fields, in UTF-16 units. */
const LIMITS = {
  name: 120,
  role: 500,
  systemPrompt: 32_000,
  personality: 4_000,
  mission: 4_000,
  decisionStyle: 4_000,
  model: 256,
} as const satisfies Record<keyof AgentChange, number>;

export const checkPersona = (change: AgentChange): void => {
  for (const [param, max] of Object.entries(LIMITS) as [keyof AgentChange, number][]) {
    const text = change[param];
    if (text === undefined) continue;
    const isRequired = param === 'name' || param === 'systemPrompt';
    if (isRequired && text.trim() === '') throw invalidRequest(`${param} is empty.`, { param });
    if (text.length > max || text.includes('\0') || !text.isWellFormed()) {
      const message = `${param} may have ${max} characters of well-formed Unicode, without NUL.`;
      throw invalidRequest(message, { param });
    }
  }
  if (change.model !== undefined) checkModel(change.model);
};

const checkModel = (model: string): void => {
  const { kind, knowledge } = readModelAddress(model);
  if (kind !== 'agent' && kind !== 'debate' && !knowledge) return;
  throw invalidRequest(
    'model is a model or a service-... address, with or without +sensitive. Link knowledge ' +
      'sources to the agent instead of +knowledge.',
    { param: 'model' },
  );
};
