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
};

/** Opens the providers over HTTP that the operator has configured. */
export const openOperatorProviders = ({
  openai,
  anthropic,
  local,
  listed,
  timeouts,
}: OperatorSettings): ClosableProvider[] => [
  ...(openai ? [createOpenai(openai, { timeouts })] : []),
  ...(anthropic ? [createAnthropic(anthropic, { timeouts })] : []),
  ...(local ? [createLocal(local, timeouts)] : []),
  ...listed.map((settings) => createListed(settings, timeouts)),
];
