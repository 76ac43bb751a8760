import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { useSession } from '../../app/session.ts';
import type { CallCheck, CheckName } from '../../proof/check-call.ts';
import { openVerifier } from '../../proof/open-verifier.ts';
import { Button } from '../../ui/button.tsx';
import { DropField } from '../../ui/drop-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { neighborsQuery, publicKeysQuery } from './calls-query.ts';
import css from './calls.module.css';

const LABELS: Readonly<Record<CheckName, string>> = {
  form: 'Form',
  hash: 'Hash of the content',
  signature: 'Signature',
  chain: 'Link to the certificate before',
  request: 'Request body',
  response: 'Response body',
};

type VerifyPanelProps = { text: string; chainIndex: number };

/** Verifies the certificate in this browser, with its bodies if the user has them. */
export const VerifyPanel = ({ text, chainIndex }: VerifyPanelProps) => {
  const { workspaceId } = useSession();
  const client = useQueryClient();
  const [certificate, setCertificate] = useState(text);
  const [request, setRequest] = useState('');
  const [response, setResponse] = useState('');
  const verifying = useMutation({
    mutationFn: async () => {
      const [publicKeys, { previous }] = await Promise.all([
        client.fetchQuery(publicKeysQuery),
        client.fetchQuery(neighborsQuery(chainIndex)),
      ]);
      using verifier = openVerifier();
      return await verifier.checkCall({
        certificate,
        publicKeys,
        workspaceId,
        previous: previous === undefined ? null : JSON.stringify(previous),
        ...(request === '' ? {} : { request }),
        ...(response === '' ? {} : { response }),
      });
    },
  });
  return (
    <Section
      title="Verify here"
      intro={
        'This browser makes the checks. It asks the server only for the public key and the ' +
        'certificate before this one.'
      }
    >
      <div className={css.bodies}>
        <DropField label="Request body" value={request} onChange={setRequest} />
        <DropField label="Response body" value={response} onChange={setResponse} />
        <details>
          <summary>Change the certificate and verify that</summary>
          <DropField label="Certificate" value={certificate} onChange={setCertificate} />
        </details>
      </div>
      <Button
        kind="primary"
        icon="shield"
        isPending={verifying.isPending}
        onPress={() => verifying.mutate()}
      >
        Verify
      </Button>
      <div aria-live="polite" className={css.checks}>
        {verifying.isError && <Notice tone="bad">{describeError(verifying.error)}</Notice>}
        {verifying.data && <Checks checks={verifying.data} />}
      </div>
    </Section>
  );
};

const ICONS = { passed: 'passed', failed: 'failed', skipped: 'info' } as const;
const STATES = { passed: 'passed', failed: 'failed', skipped: 'not checked' } as const;

const Checks = ({ checks }: { checks: readonly CallCheck[] }) => {
  const failures = checks.filter(({ state }) => state === 'failed');
  return (
    <>
      <p className={css.verdict} data-tone={failures.length === 0 ? 'good' : 'bad'}>
        <Icon name={failures.length === 0 ? 'passed' : 'failed'} />
        {failures.length === 0
          ? 'Valid: every check passed'
          : `Not valid: ${failures.map(({ name }) => LABELS[name]).join(', ')}`}
      </p>
      <ul className={css.checks}>
        {checks.map(({ name, state, detail }) => (
          <li key={name} className={css.check} data-state={state}>
            <Icon name={ICONS[state]} />
            <span>
              <span className={css.name}>
                {LABELS[name]}: {STATES[state]}
              </span>
              <span className={css.found}>{detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};
