import { UsageError } from '../usage.ts';

const MAINS: Readonly<Record<string, () => Promise<unknown>>> = {
  agents: () => import('@witan/agents/main'),
  'api-gateway': () => import('@witan/api-gateway/main'),
  'llm-gateway': () => import('@witan/llm-gateway/main'),
  ledger: () => import('@witan/ledger/main'),
  notifier: () => import('@witan/notifier/main'),
  simulation: () => import('@witan/simulation/main'),
};

export const runServe = async ([service, ...rest]: readonly string[]): Promise<undefined> => {
  if (service === 'all' && rest.length === 0) {
    return await (await import('./serve-all.ts')).runServeAll();
  }
  const main = service === undefined ? undefined : MAINS[service];
  if (!main || rest.length > 0) {
    throw new UsageError(`witan serve takes all, or one of ${Object.keys(MAINS).join(', ')}.`);
  }
  await main();
};
