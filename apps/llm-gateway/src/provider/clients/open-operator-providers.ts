import { createAnthropic } from './anthropic.ts';
import type { AnthropicSettings } from './anthropic.ts';
import type { ClosableProvider, ProviderTimeouts } from './http-provider.ts';
import type { ListedProvider } from '../parse-providers-file.ts';
import { createListed } from './listed.ts';
import { createLocal } from './local.ts';
import { createOpenai } from './openai.ts';
import type { OpenaiSettings } from './openai.ts';

type OperatorSettings = {
  openai: OpenaiSettings | undefined;
  anthropic: AnthropicSettings | undefined;
  local: { baseUrl: string; hosts: readonly string[] } | undefined;
  listed: readonly ListedProvider[];
  timeouts: ProviderTimeouts;
  totalTimeoutMs: number;
};

/**
 * Returns the timeouts of the local runtime. It may generate a whole answer, or read a long prompt
 * behind other calls, before its first byte, so only the time of the whole call limits that.
 */
const toLocalTimeouts = (timeouts: ProviderTimeouts, totalTimeoutMs: number): ProviderTimeouts => ({
  ...timeouts,
  firstByteMs: Math.max(timeouts.firstByteMs, totalTimeoutMs),
  idleMs: Math.max(timeouts.idleMs, totalTimeoutMs),
});

/** Opens the providers over HTTP that the operator has configured. */
export const openOperatorProviders = ({
  openai,
  anthropic,
  local,
  listed,
  timeouts,
  totalTimeoutMs,
}: OperatorSettings): ClosableProvider[] => [
  ...(openai ? [createOpenai(openai, { timeouts })] : []),
  ...(anthropic ? [createAnthropic(anthropic, { timeouts })] : []),
  ...(local ? [createLocal(local, toLocalTimeouts(timeouts, totalTimeoutMs))] : []),
  ...listed.map((settings) => createListed(settings, timeouts)),
];
