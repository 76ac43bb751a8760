import { notFound } from '@witan/contracts';

/**
 * Returns functions for the ids with a prefix, such as `agt_`. `read` throws NOT_FOUND with the
 * given message for a text that cannot be such an id, naming the body's member `param` if given.
 */
const idsWith = (prefix: string, message: string) => {
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`);
  const is = (text: string): boolean => pattern.test(text);
  const read = (text: string | undefined, param?: string): string => {
    if (text !== undefined && is(text)) return text;
    throw notFound(message, param ? { param } : undefined);
  };
  return { is, read };
};

export const AGENT_ID = idsWith('agt', 'There is no such agent in this workspace.');
export const ANALYSIS_ID = idsWith('mka', 'There is no such market analysis in this workspace.');
export const API_KEY_ID = idsWith('key', 'There is no such key in this workspace.');
export const CONVERSATION_ID = idsWith('cnv', 'There is no such conversation in this workspace.');
export const DEBATE_ID = idsWith('dbt', 'There is no such debate in this conversation.');
export const DELIVERY_ID = idsWith('dlv', 'There is no such delivery of this webhook.');
export const DOCUMENT_ID = idsWith('knd', 'There is no such document in this workspace.');
export const FACT_ID = idsWith('fct', 'There is no such fact in this workspace.');
export const MEMORY_ID = idsWith('mem', 'There is no such memory of this agent.');
export const SCENARIO_ID = idsWith('scn', 'There is no such scenario in this simulation.');
export const SESSION_ID = idsWith('ses', 'There is no such session of this agent.');
export const SIMULATION_ID = idsWith('sim', 'There is no such simulation in this workspace.');
export const SOURCE_ID = idsWith('kns', 'There is no such source in this workspace.');
export const TOOL_ID = idsWith('tol', 'There is no such tool in this workspace.');
export const WEBHOOK_ID = idsWith('whk', 'There is no such webhook in this workspace.');
