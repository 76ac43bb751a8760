import { expect } from '@jest/globals';
import { aiSdkAnthropicClient, aiSdkOpenaiClient } from './ai-sdk-client.ts';
import { anthropicClient } from './anthropic-client.ts';
import { langchainAnthropicClient, langchainOpenaiClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';
import type { ClientKind, DialectName } from './test-client.ts';

/** All clients, ordered by dialect. */
export const CLIENTS: readonly ClientKind[] = [
  openaiClient,
  aiSdkOpenaiClient,
  langchainOpenaiClient,
  anthropicClient,
  aiSdkAnthropicClient,
  langchainAnthropicClient,
];

export type Vendor = { provider: 'openai' | 'anthropic'; dialect: DialectName; model: string };

/** Real model names: some clients choose parameters by name. */
const VENDORS: readonly Vendor[] = [
  { provider: 'openai', dialect: 'chat-completions', model: 'gpt-4.1' },
  { provider: 'anthropic', dialect: 'messages', model: 'claude-sonnet-5-5' },
];

/** A combination of client and vendor; `crossed` if their dialects differ. */
export type Lane = { kind: ClientKind; vendor: Vendor; crossed: boolean };

export const LANES: readonly (readonly [title: string, lane: Lane])[] = CLIENTS.flatMap((kind) =>
  VENDORS.map((vendor) => {
    const crossed = kind.dialect !== vendor.dialect;
    const title = `${kind.name}${crossed ? ', crossed,' : ''} to ${vendor.provider}`;
    return [title, { kind, vendor, crossed }] as const;
  }),
);

/**
 * Returns the usage that a streaming client reports. Some clients add the counts of the first
 * event, which are estimates in a crossed stream, while the scripted provider counts one output
 * token there.
 */
export const toSeenUsage = (
  { kind, crossed }: Lane,
  { input, output }: { input: number; output: number },
): { input: unknown; output: unknown } => {
  if (!kind.countsFromStart) return { input, output };
  return crossed ? { input: expect.any(Number), output } : { input, output: output + 1 };
};
