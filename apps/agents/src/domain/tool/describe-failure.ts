import type { ToolFailure } from './post-tool.ts';

/**
 * A failure in words for the model, which may repeat them to anybody. Of a refusal it is told the
 * status and no more: its body was meant for who operates the tool, may quote what is inside their
 * network, and would make every URL readable that answers at all. Addresses are in none of them.
 */
export const describeFailure = (failure: ToolFailure, status: number | null): string => {
  if (failure !== 'http_status') return WORDS[failure];
  const hint = status !== null && status < 400 ? ', a redirect, which is not followed' : '';
  return `The tool answered with HTTP status ${status}${hint}.`;
};

const WORDS: Readonly<Record<Exclude<ToolFailure, 'http_status'>, string>> = {
  blocked_address: 'The URL of the tool may not be called.',
  dns: 'The host of the tool was not found.',
  connect: 'The tool could not be reached, or broke off before it had answered.',
  tls: 'There is no secure connection to the tool.',
  timeout: 'The tool did not answer in time.',
  response_too_large: 'The tool answered with more than can be taken.',
};
