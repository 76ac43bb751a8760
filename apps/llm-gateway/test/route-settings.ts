import type { RouteSettings } from '../src/routing/choose-route.ts';
import { toTarget } from '../src/provider/provider.ts';
import type { Target } from '../src/provider/provider.ts';

export const makeSettings = (options: Partial<RouteSettings> = {}): RouteSettings => ({
  workspaceId: 'ws_a',
  dialects: new Map([['openai', ['chat-completions']]]),
  aliases: new Map(),
  full: [toTarget('openai', 'gpt-full')],
  cheap: [toTarget('openai', 'gpt-cheap')],
  small: [toTarget('openai', 'gpt-small')],
  local: undefined,
  listed: [],
  isLocalModel: false,
  embedding: [toTarget('openai', 'text-embedding-3-small')],
  localEmbedding: undefined,
  ...options,
});

export const parseTarget = (text: string): Target => {
  const [, provider = '', model = '', weight = '0'] = /^(.+?)\/(.+?)(?:\*(\d+))?$/.exec(text) ?? [];
  return { ...toTarget(provider, model), weight: Number(weight) };
};

export const showTarget = ({ provider, model }: Target): string => `${provider}/${model}`;
