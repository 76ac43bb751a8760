import { useEffect, useRef, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { describeError } from '../../api/api-error.ts';
import { useSession } from '../../app/session.ts';
import type { BrokenLink } from '../../proof/chain-checker.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Detail, DetailList } from '../../ui/detail-list.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Progress } from '../../ui/progress.tsx';
import { publicKeysQuery } from './calls-query.ts';
import css from './calls.module.css';
import { checkChain } from './check-chain.ts';
import type { ChainState } from './check-chain.ts';

const routeApi = getRouteApi('/shell/calls/chain');

/** Verifies every certificate of the workspace, or a stretch of them, in this browser. */
export const Chain = () => {
  const check = useChainCheck();
  const { state, isPending, isStopped, error } = check;
  return (
    <Page
      title="Chain"
      intro={
        'Each certificate contains the hash of the one before it. Verifying them in order shows ' +
        'that none was changed, removed or inserted.'
      }
      isNarrow
    >
      <Section
        title="Verify in this browser"
        intro={
          'The server sends the certificates and its public key; this browser checks form, hash, ' +
          'signature and link of each.'
        }
      >
        <StretchForm check={check} />
        {state && <ChainProgressBar state={state} />}
        <div aria-live="polite" className={css.checks}>
          {error && <Notice tone="bad">{describeError(error)}</Notice>}
          {isStopped && <Notice tone="warn">Cancelled before the end.</Notice>}
          {state && !isPending && !isStopped && !error && <Verdict state={state} />}
        </div>
      </Section>
    </Page>
  );
};

/** The stretch to verify; the address of the page reproduces the one that was verified last. */
const StretchForm = ({ check: { isPending, start, stop } }: { check: ChainCheck }) => {
  const search = routeApi.useSearch();
  const navigate = useNavigate();
  const [from, setFrom] = useState(search.from);
  const [to, setTo] = useState(search.to);
  const verify = (): void => {
    void navigate({ to: '/calls/chain', search: { from, to }, replace: true });
    start({ fromIndex: from ?? 0, toIndex: to });
  };
  const position = { minValue: 0, format: { maximumFractionDigits: 0 } };
  return (
    <form
      className={css.stretch}
      onSubmit={(event) => {
        event.preventDefault();
        verify();
      }}
    >
      <NumberField
        label="From number"
        hint="Empty: from the first"
        {...position}
        value={from}
        onChange={setFrom}
      />
      <NumberField
        label="To number"
        hint="Empty: to the newest"
        {...position}
        value={to}
        onChange={setTo}
      />
      {isPending ? (
        <Button icon="close" onPress={stop}>
          Cancel
        </Button>
      ) : (
        <Button kind="primary" icon="shield" type="submit">
          Verify the chain
        </Button>
      )}
    </form>
  );
};

/** Runs one check at a time; leaving the page ends it. */
const useChainCheck = () => {
  const { workspaceId } = useSession();
  const client = useQueryClient();
  const [state, setState] = useState<ChainState>();
  const [isStopped, setStopped] = useState(false);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const checking = useMutation({
    mutationFn: async (stretch: { fromIndex: number; toIndex: number | undefined }) => {
      const { signal } = (controller.current = new AbortController());
      setState(undefined);
      setStopped(false);
      try {
        const publicKeys = await client.fetchQuery(publicKeysQuery);
        const evidence = { ...stretch, publicKeys, workspaceId, signal };
        await checkChain({ ...evidence, onProgress: setState });
      } catch (error) {
        if (!signal.aborted) throw error;
        setStopped(true);
      }
    },
  });
  return {
    state,
    isStopped,
    isPending: checking.isPending,
    error: checking.error,
    start: checking.mutate,
    stop: () => controller.current?.abort(),
  };
};

type ChainCheck = ReturnType<typeof useChainCheck>;

const ChainProgressBar = ({ state: { fromIndex, toIndex, checked } }: { state: ChainState }) => {
  const count = toIndex - fromIndex + 1;
  return (
    <Progress
      label="Verified"
      value={checked}
      max={count}
      shown={`${formatCount(checked)} of ${formatCount(count)}`}
    />
  );
};

const Verdict = ({ state }: { state: ChainState }) =>
  state.broken === undefined ? (
    <Unbroken state={state} />
  ) : (
    <Broken broken={state.broken} checked={state.checked} />
  );

const Unbroken = ({ state: { fromIndex, toIndex, checked, head } }: { state: ChainState }) => (
  <>
    <p className={css.verdict} data-tone="good">
      <Icon name="passed" />
      {checked === 1
        ? 'Valid: the certificate passed every check'
        : `Valid: all ${formatCount(checked)} certificates passed every check`}
    </p>
    <DetailList>
      <Detail
        name="Positions"
        note={
          fromIndex === 0
            ? 'The first certificate is bound to this workspace.'
            : 'This stretch begins inside the chain. From 0, its workspace is checked, too.'
        }
      >
        {formatCount(fromIndex)} to {formatCount(toIndex)}
      </Detail>
      <Detail
        name="Hash of the last"
        note="Note it: if a later check passes through it, nothing was removed at the end."
      >
        <Copyable text={head ?? ''} name="hash of the last certificate" />
      </Detail>
    </DetailList>
  </>
);

type BrokenProps = { broken: BrokenLink; checked: number };

const Broken = ({ broken: { index, proofId, detail }, checked }: BrokenProps) => (
  <>
    <p className={css.verdict} data-tone="bad">
      <Icon name="failed" />
      Not valid: the chain breaks at number {formatCount(index)}
    </p>
    <p>
      {detail}{' '}
      {checked > 0 && `Certificates before it that passed every check: ${formatCount(checked)}.`}
    </p>
    {proofId !== undefined && (
      <div>
        <Link to="/calls/$proofId" params={{ proofId }} className={buttonClass()}>
          Open number {formatCount(index)}
        </Link>
      </div>
    )}
  </>
);
