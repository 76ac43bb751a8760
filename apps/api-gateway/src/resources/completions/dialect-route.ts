import type { DialectName } from '@witan/dialects';
import type { RouteResponse, RouteResponses } from '../../http/route.ts';
import { DOCUMENTED_ERROR, PROVIDER_ERROR } from '../../errors/error-schema.ts';

export const DIALECT_BYTES_MAX = 32 * 1024 * 1024;

export const ADDRESSES = `
\`model\` is an address:

- \`gpt-...\`, \`o3\`, \`claude-...\`, a model of the local runtime: that model, in any dialect
- \`service-auto\`: chosen for each call; a name that no provider offers is routed likewise
- \`service-agent\`: the full-quality model of the workspace
- \`service-sensitive\`: processed on this machine, or refused
- \`agent:<slug>\`: an agent with its persona, memories, documents and tools
- an alias of the workspace: its targets, as a fallback chain or by weight
- any of them with \`+knowledge\` (grounded in the workspace's documents), \`+sensitive\`, or both

Addresses are compared without case, white space, percent-encoding and kinds of dashes. Another
\`+flag\`, and another name that begins with \`service\`, is 400 and is sent nowhere; a model whose
own name looks so can be the target of an alias.

The scope \`gateway\` alone reaches models and \`service-*\`. \`agent:<slug>\` also needs
\`agents\`, or \`agents:read\`: then the agent calls no tool and saves no memory. \`+knowledge\`
also needs \`knowledge\` or \`knowledge:read\`. An agent brings its own tools and does not take the
caller's, nor a response format: \`x-service-dropped-params\` names what it did not take.

An object of the body may have 1,000 members, one in a tool's schema or arguments 5,000, each name
once. Members that are not listed here are the provider's and pass as they are. A limit of output
tokens above the cap is clamped. Personal data is masked before it leaves for a hosted provider, and
restored in the answer.
`.trim();

export const PROOF_HEADERS = {
  'x-service-proof': 'Id of the certificate',
  'x-service-model': 'What ran',
  'x-service-provider': 'The provider that answered, also after a fallback',
  'x-service-overhead-ms': 'Milliseconds that the gateway itself took until it answered',
} as const;

const RATE_LIMITED: RouteResponse = {
  description:
    'Too many calls or streams with this key, or with the one that the provider knows; or the ' +
    'workspace has its share of memory (too_many_uploads), of responses in the background ' +
    '(too_many_in_background) or of stored responses (stored_responses_full) in use. ' +
    '`Retry-After` says when to try again, if that is known',
  schema: { type: 'object' },
};

/**
 * Not documented in the messages dialect, which has no 402 and reports an empty account with 429.
 */
const INSUFFICIENT_TOKENS: RouteResponses = {
  402: {
    description:
      'The account has not enough tokens (insufficient_quota) and nothing was sent, or an error ' +
      'of the provider',
    schema: { type: 'object' },
  },
};

export const dialectResponses = (dialect: DialectName): RouteResponses => {
  const error = DOCUMENTED_ERROR[dialect];
  return {
    400: error('The body is not a valid request'),
    ...(dialect === 'messages' ? {} : INSUFFICIENT_TOKENS),
    403: error('The key lacks the scope that the operation or its address needs'),
    404: error('There is no such agent'),
    413: error('The body is too large, or takes too long to be masked with the own patterns'),
    429: RATE_LIMITED,
    501: error('The address is reserved'),
    502: error('The provider failed'),
    503: error('The ledger or a service is down, or has no memory for the body; nothing was sent'),
    504: error('The provider did not answer in time'),
    529: error('The service is overloaded; nothing was sent'),
    '4XX': PROVIDER_ERROR,
    '5XX': PROVIDER_ERROR,
  };
};
