import { notFound } from '@witan/contracts';

export type ResourceId = {
  /** Names the resource and where it is, for example "agent in this workspace". */
  noun: string;
  is: (text: string) => boolean;
  /**
   * Returns the text. Throws NOT_FOUND if it cannot be such an id, naming the body's member `param`
   * if given.
   */
  read: (text: string | undefined, param?: string) => string;
};

const idsWith = (prefix: string, noun: string, lengthMax = 64): ResourceId => {
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{1,${lengthMax}}$`);
  const is = (text: string): boolean => pattern.test(text);
  const read = (text: string | undefined, param?: string): string => {
    if (text !== undefined && is(text)) return text;
    throw notFound(`There is no such ${noun}.`, param ? { param } : undefined);
  };
  return { noun, is, read };
};

export const AGENT_ID = idsWith('agt', 'agent in this workspace');
export const ANALYSIS_ID = idsWith('mka', 'market analysis in this workspace');
export const API_KEY_ID = idsWith('key', 'key in this workspace');
export const AUDIT_ID = idsWith('aud', 'audit event in this workspace');
export const CONSOLE_SESSION_ID = idsWith('cns', 'open session in this workspace');
export const CONVERSATION_ID = idsWith('cnv', 'conversation in this workspace');
export const DEBATE_ID = idsWith('dbt', 'debate in this conversation');
export const DELIVERY_ID = idsWith('dlv', 'delivery of this webhook');
export const DOCUMENT_ID = idsWith('knd', 'document in this workspace');
export const FACT_ID = idsWith('fct', 'fact in this workspace');
export const MCP_SERVER_ID = idsWith('mcs', 'MCP server in this workspace');
export const MEMORY_ID = idsWith('mem', 'memory of this agent');
export const PROOF_ID = idsWith('pf', 'certificate in this workspace', 128);
export const SCENARIO_ID = idsWith('scn', 'scenario in this simulation');
export const SESSION_ID = idsWith('ses', 'session of this agent');
export const SIMULATION_ID = idsWith('sim', 'simulation in this workspace');
export const SOURCE_ID = idsWith('kns', 'source in this workspace');
export const TOOL_ID = idsWith('tol', 'tool in this workspace');
export const WEBHOOK_ID = idsWith('whk', 'webhook in this workspace');
