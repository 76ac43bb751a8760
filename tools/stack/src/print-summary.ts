import type { BrokerState } from './nats/open-nats.ts';
import type { SystemFile } from './system/create-system.ts';

const LABEL = 'Reference  '.length;
const INDENT = '    ';
/** Columns of a value, so that a line with its indent and label has at most 80. */
const VALUE = 80 - INDENT.length - LABEL;

type Surroundings = {
  home: string;
  broker: BrokerState;
  consoleLink: string;
  /** True if the policy of the transparency log needs a witness. */
  isWitnessed: boolean;
};

export const printSummary = (system: SystemFile, surroundings: Surroundings): void =>
  void process.stdout.write(toSummary(system, surroundings));

/**
 * Returns the last screen of a start. With the prompt below it, it fits in 24 lines of 80 columns,
 * so that nothing scrolls away, unless a path, address or error of the user is longer.
 */
export const toSummary = (
  system: SystemFile,
  { home, broker, consoleLink, isWitnessed }: Surroundings,
): string => {
  const { baseUrl, apiKey } = system;
  const rows: [label: string, lines: readonly string[]][] = [
    ['API', [baseUrl]],
    ['API key', [apiKey]],
    ['Reference', [`${baseUrl}/docs`]],
    ['Console', [consoleLink]],
    ['Log', [`${baseUrl}/v1/log${isWitnessed ? '' : ' (not witnessed)'}`]],
    ['Events', describeBroker(broker).flatMap(wrap)],
    ['State', [`${home} (the above is in ${home}/system.json)`]],
  ];
  return `
  Witan is up.

${rows.flatMap(toLines).join('\n')}

  A first certified completion, in another terminal and in this folder:

    export WITAN=${baseUrl}
    export KEY=${apiKey}
    sh examples/first-call.sh

  Verify it: sh examples/fetch-proof.sh && sh examples/verify.sh
  Everything else, a command each: docs/tour.md
  Stop with Ctrl-C; the state stays. LOG_LEVEL=info npm start logs all requests.

`;
};

const toLines = ([label, lines]: readonly [string, readonly string[]]): string[] =>
  lines.map((line, index) => `${INDENT}${(index === 0 ? label : '').padEnd(LABEL)}${line}`);

/** Breaks a text at its spaces; a longer word stays whole. */
const wrap = (text: string): string[] =>
  text.match(new RegExp(`(?:.{1,${VALUE}}|\\S+)(?:\\s+|$)`, 'g'))?.map((line) => line.trim()) ?? [];

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
