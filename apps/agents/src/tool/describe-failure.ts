import type { ToolFailure } from './post-tool.ts';

/**
 * Returns a description of a failure for the model, which may repeat it to any user. It contains no
 * addresses, and of an error response only the status: the body is meant for the tool's operator,
 * and with it any reachable URL could be read through a tool.
 */
export const describeFailure = (failure: ToolFailure, status: number | null): string => {
  if (failure !== 'http_status') return DESCRIPTIONS[failure];
  const hint = status !== null && status < 400 ? ', a redirect, which is not followed' : '';
  return `The tool answered with HTTP status ${status}${hint}.`;
};

const DESCRIPTIONS: Readonly<Record<Exclude<ToolFailure, 'http_status'>, string>> = {
  blocked_address: 'The URL of the tool may not be called.',
  dns: 'The host of the tool was not found.',
  connect: 'The tool could not be reached, or broke off before it had answered.',
  tls: 'There is no secure connection to the tool.',
  timeout: 'The tool did not answer in time.',
  response_too_large: 'The tool answered with more than can be taken.',
};
