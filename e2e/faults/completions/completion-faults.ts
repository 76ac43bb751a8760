import type { Fault } from './run-fault.ts';

/**
 * All faults, in the order in which they are injected. Retry storms come first, so that the leases
 * of their killed processes expire while the other faults run.
 */
export const COMPLETION_FAULTS: readonly Fault[] = [
  {
    name: 'storm, kill api-gateway after an answer',
    signal: 'SIGKILL',
    targets: ['api-gateway'],
    times: 3,
    moment: 'answered',
    isRetryStorm: true,
  },
  {
    name: 'storm, kill llm-gateway after an answer',
    signal: 'SIGKILL',
    targets: ['llm-gateway'],
    times: 3,
    moment: 'answered',
    isRetryStorm: true,
  },
  {
    name: 'storm, kill ledger and postgres',
    signal: 'SIGKILL',
    targets: ['ledger', 'postgres'],
    times: 2,
    isRetryStorm: true,
  },
  {
    name: 'kill llm-gateway after an answer',
    signal: 'SIGKILL',
    targets: ['llm-gateway'],
    times: 4,
    moment: 'answered',
  },
  {
    name: 'kill ledger after an answer',
    signal: 'SIGKILL',
    targets: ['ledger'],
    times: 4,
    moment: 'answered',
  },
  {
    name: 'kill postgres after an answer',
    signal: 'SIGKILL',
    targets: ['postgres'],
    times: 2,
    moment: 'answered',
  },
  { name: 'kill ledger', signal: 'SIGKILL', targets: ['ledger'], times: 3 },
  { name: 'kill llm-gateway', signal: 'SIGKILL', targets: ['llm-gateway'], times: 3 },
  { name: 'kill postgres', signal: 'SIGKILL', targets: ['postgres'], times: 3 },
  { name: 'kill api-gateway', signal: 'SIGKILL', targets: ['api-gateway'], times: 3 },
  {
    name: 'kill ledger and postgres',
    signal: 'SIGKILL',
    targets: ['ledger', 'postgres'],
    times: 2,
  },
  {
    name: 'kill llm-gateway and ledger',
    signal: 'SIGKILL',
    targets: ['llm-gateway', 'ledger'],
    times: 2,
  },
  {
    name: 'kill everything',
    signal: 'SIGKILL',
    targets: ['api-gateway', 'llm-gateway', 'ledger', 'postgres'],
    times: 2,
  },
  { name: 'stop ledger', signal: 'SIGTERM', targets: ['ledger'], times: 2 },
  { name: 'stop llm-gateway', signal: 'SIGTERM', targets: ['llm-gateway'], times: 2 },
  { name: 'stop api-gateway', signal: 'SIGTERM', targets: ['api-gateway'], times: 2 },
];
