import type { Usage } from '@witan/contracts';

export const encodeTokenUsage = (usage: Usage | undefined) => ({
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  totalTokens: usage?.totalTokens ?? 0,
});
