import type { Usage } from '@witan/contracts';

/** Tokens as the native API shows them. */
export const encodeTokenUsage = (usage: Usage | undefined) => ({
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  totalTokens: usage?.totalTokens ?? 0,
});
