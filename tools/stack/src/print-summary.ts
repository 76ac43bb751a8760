import type { BrokerState } from './nats/open-nats.ts';
import type { SystemFile } from './system/create-system.ts';

const COLUMN = ' '.repeat('    Reference  '.length);

export const printSummary = (
  system: SystemFile,
  { home, broker, consoleLink }: { home: string; broker: BrokerState; consoleLink: string },
): void => {
  const { baseUrl, apiKey } = system;
  process.stdout.write(`
  Witan is up.

    API        ${baseUrl}
    API key    ${apiKey}
    Console    ${consoleLink}
    Reference  ${baseUrl}/docs (for machines: /v1/openapi.json)
    Events     ${describeBroker(broker).join(`\n${COLUMN}`)}
    State      ${home} (everything above is in ${home}/system.json)

  A first certified completion (its certificate is named in x-service-proof):

    curl -iw '\\n' ${baseUrl}/v1/chat/completions \\
      -H "x-api-key: ${apiKey}" -H "content-type: application/json" \\
      -d '{"model":"service-auto","messages":[{"role":"user","content":"What can you do?"}]}'

  An answer from an agent of the council (strategy, finance, product, operations, sceptic); any
  OpenAI or Anthropic client can call it, too:

    curl -w '\\n' ${baseUrl}/v1/chat/completions \\
      -H "x-api-key: ${apiKey}" -H "content-type: application/json" \\
      -d '{"model":"agent:sceptic","messages":[{"role":"user","content":"Double our prices?"}]}'

  Its certificate and the public key, verified offline (in this folder):

    curl -s ${baseUrl}/v1/proofs/<id> -H "x-api-key: ${apiKey}" > proof.json
    curl -s ${baseUrl}/v1/gateway/public-key > key.json
    npx witan verify proof.json --public-key key.json

  Stop with Ctrl-C; the state stays. LOG_LEVEL=info npm start logs every request.

`);
};

export const describeBroker = (broker: BrokerState): string[] => {
  if ('missing' in broker) {
    const { reason, message } = broker.missing;
    const line = 'in process (NATS when NATS_URL is set)';
    return reason === 'not-found' ? [line] : [line, `nats-server did not start: ${message}`];
  }
  const hosts = broker.url.split(',').map(withoutCredentials).join(', ');
  return broker.isReady
    ? [hosts]
    : [
        `${hosts} does not answer yet.`,
        'Until it does, events wait in the database, and no webhook is sent.',
      ];
};

/** Removes credentials from a URL, because users paste the summary into chats. */
const withoutCredentials = (url: string): string => url.trim().replace(/^(\w+:\/\/)?[^@]*@/, '$1');
