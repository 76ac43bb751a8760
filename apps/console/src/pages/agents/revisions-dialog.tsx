import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure, Skeleton } from '../../ui/page-state.tsx';
import { Time } from '../../ui/time.tsx';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { describeSource, revisionsQuery } from './memories-query.ts';
import type { Memory } from './memories-query.ts';

type RevisionsDialogProps = { agent: Agent; memory: Memory; onClose: () => void };

/** The values that a memory has had, newest first. */
export const RevisionsDialog = ({ agent, memory, onClose }: RevisionsDialogProps) => (
  <Dialog title={`Values of “${memory.key}”`} isOpen onClose={onClose}>
    <ol className={css.revisions}>
      <li className={css.revision}>
        <p className={css.text}>{memory.value}</p>
        <p className={css.small}>
          Now. {describeSource(memory.source)}, <Time at={memory.updatedAt} />
        </p>
      </li>
      <Earlier agent={agent} memory={memory} />
    </ol>
  </Dialog>
);

const Earlier = ({ agent, memory }: Omit<RevisionsDialogProps, 'onClose'>) => {
  const revisions = useQuery(revisionsQuery(agent.id, memory));
  if (revisions.isPending) {
    return (
      <li>
        <Skeleton lines={2} />
      </li>
    );
  }
  if (revisions.isError) {
    return (
      <li>
        <Failure error={revisions.error} onRetry={() => void revisions.refetch()} />
      </li>
    );
  }
  if (revisions.data.length === 0) return <li className="muted">It had no other value.</li>;
  return revisions.data.map(({ revision, value, source, validFrom, validTo }) => (
    <li key={revision} className={css.revision}>
      <p className={css.text}>{value}</p>
      <p className={css.small}>
        {describeSource(source)}, <Time at={validFrom} /> to <Time at={validTo} />
      </p>
    </li>
  ));
};
