import { expect } from '@jest/globals';
import { aiSdkAnthropicClient, aiSdkOpenaiClient, aiSdkResponsesClient } from './ai-sdk-client.ts';
import { anthropicClient } from './anthropic-client.ts';
import { langchainAnthropicClient, langchainOpenaiClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';
import { openaiResponsesClient } from './openai-responses-client.ts';
import type { ClientKind, DialectName } from './test-client.ts';

export const CLIENTS: readonly ClientKind[] = [
  openaiClient,
  aiSdkOpenaiClient,
  langchainOpenaiClient,
  anthropicClient,
  aiSdkAnthropicClient,
  langchainAnthropicClient,
  openaiResponsesClient,
  aiSdkResponsesClient,
];

/** A provider that speaks one dialect, and how a call of its model is routed to it. */
export type Vendor = {
  provider: 'openai' | 'anthropic' | 'own';
  dialect: DialectName;
  model: string;
  reason: 'passthrough' | 'alias';
};

/** Real model names, because some client libraries choose parameters by model name. */
export const VENDORS: readonly Vendor[] = [
  { provider: 'openai', dialect: 'chat-completions', model: 'gpt-4.1', reason: 'passthrough' },
  {
    provider: 'anthropic',
    dialect: 'messages',
    model: 'claude-sonnet-5-5',
    reason: 'passthrough',
  },
  { provider: 'own', dialect: 'responses', model: 'gpt-4.1-mini', reason: 'alias' },
];

/**
 * The provider of the workspace that speaks the responses dialect; an alias of the workspace leads
 * its model there.
 */
export const OWN_VENDOR = VENDORS[2]!;

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
