import { formatCount, formatCountOf, formatDuration } from '../../ui/format.ts';
import { Badge } from '../../ui/page-state.tsx';
import css from './chat.module.css';
import type { AnswerNotes, ToolRun } from './chat-turn.ts';

/** The reasoning before an answer, folded away. */
export const Thoughts = ({ text }: { text: string }) => (
  <details className={css.fold}>
    <summary>Thoughts</summary>
    <p className={css.folded}>{text}</p>
  </details>
);

/** The tools that were called for an answer, with what they answered. */
export const ToolCalls = ({ runs }: { runs: readonly ToolRun[] }) => (
  <details className={css.fold}>
    <summary>{formatCountOf(runs.length, 'tool call')}</summary>
    <ul className={css.runs}>
      {runs.map(({ id, name, status, durationMs, arguments: given, result, error }, index) => (
        <li key={`${id} ${index}`} className={css.run}>
          <span className={css.runHead}>
            <code>{name}</code>
            <Badge tone={status === 'ok' ? 'good' : 'bad'}>{RESULTS[status]}</Badge>
            <span className="muted">{formatDuration(durationMs)}</span>
          </span>
          <code className={css.json}>{JSON.stringify(given)}</code>
          <code className={css.json}>{error ?? JSON.stringify(result)}</code>
        </li>
      ))}
    </ul>
  </details>
);

const RESULTS: Readonly<Record<ToolRun['status'], string>> = {
  ok: 'Answered',
  error: 'Failed',
  timeout: 'Timed out',
};

/** What the answer left behind and what it took. */
export const Notes = ({ notes }: { notes: AnswerNotes }) => {
  const { memoriesSaved, tokenUsage, finishReason } = notes;
  return (
    <>
      {memoriesSaved.map(({ key, value, globalDenied }) => (
        <span key={key} title={value}>
          <Badge tone="info">
            Remembered: {key}
            {globalDenied && ' (not shared)'}
          </Badge>
        </span>
      ))}
      {finishReason === 'length' && <Badge tone="warn">Cut off at its limit</Badge>}
      {finishReason === 'content_filter' && <Badge tone="warn">Filtered by the provider</Badge>}
      <span className={css.tokens}>{formatCount(tokenUsage.totalTokens)} tokens</span>
    </>
  );
};
