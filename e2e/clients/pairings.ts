import { expect } from '@jest/globals';
import { aiSdkAnthropicClient, aiSdkOpenaiClient } from './ai-sdk-client.ts';
import { anthropicClient } from './anthropic-client.ts';
import { langchainAnthropicClient, langchainOpenaiClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';
import type { ClientKind, DialectName } from './test-client.ts';

export const CLIENTS: readonly ClientKind[] = [
  openaiClient,
  aiSdkOpenaiClient,
  langchainOpenaiClient,
  anthropicClient,
  aiSdkAnthropicClient,
  langchainAnthropicClient,
];

export type Vendor = { provider: 'openai' | 'anthropic'; dialect: DialectName; model: string };

/** Real model names, because some client libraries choose parameters by model name. */
const VENDORS: readonly Vendor[] = [
  { provider: 'openai', dialect: 'chat-completions', model: 'gpt-4.1' },
  { provider: 'anthropic', dialect: 'messages', model: 'claude-sonnet-5-5' },
];

/**
 * A combination of client library and model vendor. If their dialects differ (`crossed`), the
 * gateway translates.
 */
export type Pairing = { kind: ClientKind; vendor: Vendor; crossed: boolean };

export const PAIRINGS: readonly (readonly [title: string, pairing: Pairing])[] = CLIENTS.flatMap(
  (kind) =>
    VENDORS.map((vendor) => {
      const crossed = kind.dialect !== vendor.dialect;
      const title = `${kind.name}${crossed ? ', crossed,' : ''} to ${vendor.provider}`;
      return [title, { kind, vendor, crossed }] as const;
    }),
);

/**
 * Returns the usage that a streaming client is expected to report. Clients with
 * `addsFirstEventTokens` report the prompt count of the first event, which is an estimate if the
 * gateway translates, and add the first event's output tokens, of which the scripted provider sends
 * one and the gateway none.
 */
export const toReportedUsage = (
  { kind, crossed }: Pairing,
  { input, output }: { input: number; output: number },
): { input: unknown; output: unknown } => {
  if (!kind.addsFirstEventTokens) return { input, output };
  return crossed ? { input: expect.any(Number), output } : { input, output: output + 1 };
};
