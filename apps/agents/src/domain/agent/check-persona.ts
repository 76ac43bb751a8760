import { invalidRequest } from '@witan/contracts';
import type { AgentChange } from './agent.ts';

/** Longest texts, in UTF-16 units; names and params as the API has them. */
const LIMITS = {
  name: 120,
  role: 500,
  systemPrompt: 32_000,
  personality: 4_000,
  mission: 4_000,
  decisionStyle: 4_000,
  model: 256,
} as const satisfies Record<keyof AgentChange, number>;

/** Names and prompts that say something, and texts that a database can hold. INVALID_REQUEST. */
export const checkPersona = (change: AgentChange): void => {
  for (const [param, max] of Object.entries(LIMITS) as [keyof AgentChange, number][]) {
    const text = change[param];
    if (text === undefined) continue;
    const isNeeded = param === 'name' || param === 'systemPrompt';
    if (isNeeded && text.trim() === '') throw invalidRequest(`${param} is empty.`, { param });
    if (text.length > max || text.includes('\0') || !text.isWellFormed()) {
      const message = `${param} may have ${max} characters of well-formed Unicode, without NUL.`;
      throw invalidRequest(message, { param });
    }
  }
};
