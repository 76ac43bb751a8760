import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf, type Tree } from '../tree.ts';
import { serviceCalls } from './service-calls.ts';

type Calls = Record<string, Record<string, Record<string, string[]>>>;

const makeTree = (calls: Calls, files: Record<string, string> = {}): Tree =>
  treeOf({
    'deploy/call-graph.json': JSON.stringify({ calls }),
    'proto/witan/llm/v1/model_service.proto':
      'package witan.llm.v1;\n\nservice ModelService {\n  rpc ListModels(A) returns (B);\n}',
    'proto/witan/ledger/v1/ledger_service.proto':
      'package witan.ledger.v1;\nservice LedgerService {\n  rpc Write(A) returns (B);\n' +
      '  rpc Credit(A) returns (B);\n}',
    ...files,
  });

const makeClientCode = (service: string, rpc: string): string =>
  `import { ${service} } from '@witan/contracts/services';\n` +
  `const client = createClient(${service});\nclient.${rpc}({});`;

const LIST_MODELS = { 'llm-gateway': { ModelService: ['ListModels'] } };

describe('serviceCalls', () => {
  it('refuses a service that the graph does not list', () => {
    const tree = makeTree(
      { 'api-gateway': LIST_MODELS },
      {
        'apps/api-gateway/src/clients/ledger.ts': makeClientCode('LedgerService', 'write'),
        'apps/api-gateway/src/clients/llm-gateway.ts': makeClientCode('ModelService', 'listModels'),
      },
    );
    expect(formatFindings(serviceCalls(tree))).toEqual([
      'apps/api-gateway/src/clients/ledger.ts:1 uses LedgerService of ledger, ' +
        'which api-gateway may not call (deploy/call-graph.json).',
    ]);
  });

  const WRITES = { 'llm-gateway': { ledger: { LedgerService: ['Write'] } } };
  const writer = {
    'apps/llm-gateway/src/clients/writer.ts': makeClientCode('LedgerService', 'write'),
  };

  it('accepts the calls that the graph lists', () => {
    expect(serviceCalls(makeTree(WRITES, writer))).toEqual([]);
  });

  it('refuses a call of a listed service that the graph does not list', () => {
    const path = 'apps/llm-gateway/src/clients/credit.ts';
    const tree = makeTree(WRITES, { ...writer, [path]: makeClientCode('LedgerService', 'credit') });
    expect(formatFindings(serviceCalls(tree))).toEqual([
      `${path}:3 calls LedgerService.Credit, which llm-gateway may not call (deploy/call-graph.json).`,
    ]);
  });

  it.each([
    ['an RPC that is not called', 'LedgerService', 'Credit'],
    ['an RPC that does not exist', 'LedgerService', 'Delete'],
    ['a service that does not exist', 'BookService', 'Write'],
  ])('refuses a graph that lists %s', (_name, service, rpc) => {
    const listed = { LedgerService: ['Write'] };
    const rpcs = service in listed ? ['Write', rpc] : [rpc];
    const calls = { 'llm-gateway': { ledger: { ...listed, [service]: rpcs } } };
    const findings = formatFindings(serviceCalls(makeTree(calls, writer)));
    expect(findings).toEqual([
      `deploy/call-graph.json lets llm-gateway call ${service}.${rpc}, which it does not call.`,
    ]);
  });

  it('accepts the descriptor of the service that an app serves', () => {
    const files = { 'apps/ledger/src/service.ts': makeClientCode('LedgerService', 'write') };
    expect(serviceCalls(makeTree({ ledger: {} }, files))).toEqual([]);
  });

  it.each([
    ['ledger', 'llm-gateway'],
    ['agents', 'simulation'],
    ['agents', 'notifier'],
    ['notifier', 'llm-gateway'],
    ['ledger', 'notifier'],
    ['ledger', 'ledger'],
  ])('refuses a graph in which %s calls %s', (caller, callee) => {
    expect(serviceCalls(makeTree({ [caller]: { [callee]: {} } }))).toHaveLength(1);
  });

  it.each([
    ['api-gateway', 'ledger'],
    ['api-gateway', 'notifier'],
    ['notifier', 'ledger'],
    ['simulation', 'agents'],
  ])('accepts a graph in which %s calls %s', (caller, callee) => {
    expect(serviceCalls(makeTree({ [caller]: { [callee]: {} } }))).toEqual([]);
  });

  it('requires the graph to exist', () => {
    expect(formatFindings(serviceCalls(treeOf({})))).toEqual([
      'deploy/call-graph.json is missing.',
    ]);
  });
});
