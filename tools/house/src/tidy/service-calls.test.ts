import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf, type Tree } from '../tree.ts';
import { serviceCalls } from './service-calls.ts';

const system = (calls: Record<string, string[]>, files: Record<string, string> = {}): Tree =>
  treeOf({
    'deploy/call-graph.json': JSON.stringify({ calls }),
    'proto/witan/llm/v1/model_service.proto': 'package witan.llm.v1;\n\nservice ModelService {\n}',
    'proto/witan/ledger/v1/ledger_service.proto':
      'package witan.ledger.v1;\nservice LedgerService {}',
    ...files,
  });

const uses = (service: string): string =>
  `import { ${service} } from '@witan/contracts/services';\ncreateClient(${service});`;

describe('serviceCalls', () => {
  it('refuses a call that the graph does not list', () => {
    const tree = system(
      { 'api-gateway': ['llm-gateway'] },
      {
        'apps/api-gateway/src/clients/ledger.ts': uses('LedgerService'),
        'apps/api-gateway/src/clients/llm-gateway.ts': uses('ModelService'),
      },
    );
    expect(formatFindings(serviceCalls(tree))).toEqual([
      'apps/api-gateway/src/clients/ledger.ts:1 uses LedgerService of ledger, ' +
        'which api-gateway may not call (deploy/call-graph.json).',
    ]);
  });

  it('accepts the descriptor of the service that an app serves', () => {
    const tree = system({ ledger: [] }, { 'apps/ledger/src/service.ts': uses('LedgerService') });
    expect(serviceCalls(tree)).toEqual([]);
  });

  it.each([
    ['ledger', 'llm-gateway'],
    ['agents', 'simulation'],
    ['agents', 'notifier'],
    ['notifier', 'ledger'],
    ['ledger', 'ledger'],
  ])('refuses a graph in which %s calls %s', (caller, callee) => {
    expect(serviceCalls(system({ [caller]: [callee] }))).toHaveLength(1);
  });

  it.each([
    ['api-gateway', 'ledger'],
    ['api-gateway', 'notifier'],
    ['simulation', 'agents'],
  ])('accepts a graph in which %s calls %s', (caller, callee) => {
    expect(serviceCalls(system({ [caller]: [callee] }))).toEqual([]);
  });

  it('wants the graph to exist', () => {
    expect(formatFindings(serviceCalls(treeOf({})))).toEqual([
      'deploy/call-graph.json is missing.',
    ]);
  });
});
