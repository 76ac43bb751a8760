import type { Round } from './run-round.ts';

/**
 * All faults, in order. Retry storms come first, so that the leases of their killed processes
 * expire while the other faults run.
 */
export const ROUNDS: readonly Round[] = [
  {
    name: 'storm, kill api-gateway after an answer',
    signal: 'SIGKILL',
    victims: ['api-gateway'],
    times: 3,
    moment: 'answered',
    isRetryStorm: true,
  },
  {
    name: 'storm, kill llm-gateway after an answer',
    signal: 'SIGKILL',
    victims: ['llm-gateway'],
    times: 3,
    moment: 'answered',
    isRetryStorm: true,
  },
  {
    name: 'storm, kill ledger and postgres',
    signal: 'SIGKILL',
    victims: ['ledger', 'postgres'],
    times: 2,
    isRetryStorm: true,
  },
  {
    name: 'kill llm-gateway after an answer',
    signal: 'SIGKILL',
    victims: ['llm-gateway'],
    times: 4,
    moment: 'answered',
  },
  {
    name: 'kill ledger after an answer',
    signal: 'SIGKILL',
    victims: ['ledger'],
    times: 4,
    moment: 'answered',
  },
  {
    name: 'kill postgres after an answer',
    signal: 'SIGKILL',
    victims: ['postgres'],
    times: 2,
    moment: 'answered',
  },
  { name: 'kill ledger', signal: 'SIGKILL', victims: ['ledger'], times: 3 },
  { name: 'kill llm-gateway', signal: 'SIGKILL', victims: ['llm-gateway'], times: 3 },
  { name: 'kill postgres', signal: 'SIGKILL', victims: ['postgres'], times: 3 },
  { name: 'kill api-gateway', signal: 'SIGKILL', victims: ['api-gateway'], times: 3 },
  {
    name: 'kill ledger and postgres',
    signal: 'SIGKILL',
    victims: ['ledger', 'postgres'],
    times: 2,
  },
  {
    name: 'kill llm-gateway and ledger',
    signal: 'SIGKILL',
    victims: ['llm-gateway', 'ledger'],
    times: 2,
  },
  {
    name: 'kill everything',
    signal: 'SIGKILL',
    victims: ['api-gateway', 'llm-gateway', 'ledger', 'postgres'],
    times: 2,
  },
  { name: 'stop ledger', signal: 'SIGTERM', victims: ['ledger'], times: 2 },
  { name: 'stop llm-gateway', signal: 'SIGTERM', victims: ['llm-gateway'], times: 2 },
  { name: 'stop api-gateway', signal: 'SIGTERM', victims: ['api-gateway'], times: 2 },
];
