import { readCliConfig } from './config.ts';
import { readSystem } from './read-system.ts';

export type Api = { baseUrl: string; apiKey: string };

/**
 * Returns the API configured in the environment, or that of the system that runs in WITAN_HOME.
 * Throws if there is neither, or if only one of WITAN_BASE_URL and WITAN_API_KEY is set.
 */
export const findApi = async (): Promise<Api> => {
  const { home, baseUrl, apiKey } = readCliConfig();
  if (baseUrl && apiKey) return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
  if (baseUrl || apiKey) throw new Error('Set both WITAN_BASE_URL and WITAN_API_KEY, or neither.');
  const system = await readSystem(home);
  if (system) return { baseUrl: system.baseUrl, apiKey: system.apiKey };
  const advice = 'start one with npm start, or set WITAN_BASE_URL and WITAN_API_KEY';
  throw new Error(`No system runs in ${home}: ${advice}.`);
};
