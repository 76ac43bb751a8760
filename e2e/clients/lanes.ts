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

/** A combination of client library and model vendor; `crossed` if their dialects differ. */
export type Lane = { kind: ClientKind; vendor: Vendor; crossed: boolean };

export const LANES: readonly (readonly [title: string, lane: Lane])[] = CLIENTS.flatMap((kind) =>
  VENDORS.map((vendor) => {
    const crossed = kind.dialect !== vendor.dialect;
    const title = `${kind.name}${crossed ? ', crossed,' : ''} to ${vendor.provider}`;
    return [title, { kind, vendor, crossed }] as const;
  }),
);

/**
 * Returns the usage that a streaming client is expected to report. Some clients add the counts of
 * the stream's first event to the final ones: in a crossed stream these are the gateway's
 * estimates, otherwise the scripted provider's one output token.
 */
export const toSeenUsage = (
  { kind, crossed }: Lane,
  { input, output }: { input: number; output: number },
): { input: unknown; output: unknown } => {
  if (!kind.countsFromStart) return { input, output };
  return crossed ? { input: expect.any(Number), output } : { input, output: output + 1 };
};
