import { expect } from '@jest/globals';
import { aiSdkAnthropicClient, aiSdkOpenaiClient } from './ai-sdk-client.ts';
import { anthropicClient } from './anthropic-client.ts';
import { langchainAnthropicClient, langchainOpenaiClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';
import type { ClientKind, DialectName } from './test-client.ts';

/** Every client, in the order of dialects. */
export const CLIENTS: readonly ClientKind[] = [
  openaiClient,
  aiSdkOpenaiClient,
  langchainOpenaiClient,
  anthropicClient,
  aiSdkAnthropicClient,
  langchainAnthropicClient,
];

/** Who answers: a vendor, its dialect, and a name that belongs to it. */
export type Vendor = { provider: 'openai' | 'anthropic'; dialect: DialectName; model: string };

/** Names that clients know too: some of them look at the name to decide what they send. */
const VENDORS: readonly Vendor[] = [
  { provider: 'openai', dialect: 'chat-completions', model: 'gpt-4.1' },
  { provider: 'anthropic', dialect: 'messages', model: 'claude-sonnet-5-5' },
];

/** A client and who answers it; `crossed` when they speak different dialects. */
export type Lane = { kind: ClientKind; vendor: Vendor; crossed: boolean };

/** All clients against all vendors, for `describe.each` and `it.each`: a title and a lane. */
export const LANES: readonly (readonly [title: string, lane: Lane])[] = CLIENTS.flatMap((kind) =>
  VENDORS.map((vendor) => {
    const crossed = kind.dialect !== vendor.dialect;
    const title = `${kind.name}${crossed ? ', crossed,' : ''} to ${vendor.provider}`;
    return [title, { kind, vendor, crossed }] as const;
  }),
);

/**
 * The counts that the user of a streamed answer sees when the model reported `usage`: what the
 * start of a stream says counts for some clients, and there a crossed stream has an estimate while
 * the scripted provider counts one token of output.
 */
export const toSeenUsage = (
  { kind, crossed }: Lane,
  { input, output }: { input: number; output: number },
): { input: unknown; output: unknown } => {
  if (!kind.countsFromStart) return { input, output };
  return crossed ? { input: expect.any(Number), output } : { input, output: output + 1 };
};
