import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, CheckboxGroup } from '../../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Failure, Problem, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { notify } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { savePrivacy, workspaceQuery } from '../workspace-query.ts';
import type { Workspace } from '../workspace-query.ts';
import { CATEGORIES } from './categories.ts';
import type { Privacy } from './categories.ts';
import { RuleList } from './rule-list.tsx';
import { TryOut } from './try-out.tsx';

/** What is masked before a request leaves for a provider that is not local. */
export const PrivacyPage = () => {
  const workspace = useQuery(workspaceQuery);
  if (workspace.isPending) return <Skeleton lines={12} />;
  if (workspace.isError) {
    return <Failure error={workspace.error} onRetry={() => void workspace.refetch()} />;
  }
  return <PrivacyForm saved={workspace.data.privacy} />;
};

/** A draft, and the settings that were loaded when it was begun. */
type Edit = { opened: Privacy; draft: Privacy };

const PrivacyForm = ({ saved }: { saved: Privacy }) => {
  const mayChange = canUse(useSession(), ['keys']);
  // Set from the first change on, so that settings that are loaded again do not replace the draft.
  const [edit, setEdit] = useState<Edit>();
  const { opened, draft } = edit ?? { opened: saved, draft: saved };
  const change = (part: Partial<Privacy>): void =>
    setEdit({ opened, draft: { ...draft, ...part } });
  return (
    <div className={css.sectionList}>
      <Section
        title="Privacy"
        intro={
          'These values are replaced by placeholders before a request leaves for a provider ' +
          'that is not local, and restored in the answer.'
        }
      >
        <CheckboxGroup
          label="Categories"
          value={draft.categories}
          isDisabled={!mayChange}
          onChange={(categories) => change({ categories: categories as Privacy['categories'] })}
        >
          {CATEGORIES.map(({ value, label }) => (
            <Checkbox key={value} value={value}>
              {label}
            </Checkbox>
          ))}
        </CheckboxGroup>
        <RuleList
          title="Own terms"
          intro="Whole words in any case, such as the name of a project."
          field="Term"
          rules={draft.terms.map(({ text, category }) => ({ text, category }))}
          onChange={mayChange ? (terms) => change({ terms }) : undefined}
        />
        <RuleList
          title="Own patterns"
          intro="Shapes such as order numbers: AB-\d{4} finds AB-1234."
          field="Pattern"
          rules={draft.patterns.map(({ pattern, category }) => ({ text: pattern, category }))}
          onChange={
            mayChange
              ? (rules) =>
                  change({
                    patterns: rules.map(({ text, category }) => ({ pattern: text, category })),
                  })
              : undefined
          }
        />
        {mayChange && <SaveBar opened={opened} draft={draft} onEnd={() => setEdit(undefined)} />}
      </Section>
      <TryOut settings={draft} />
    </div>
  );
};

type SaveBarProps = Edit & {
  /** Called when the draft is saved or discarded. */
  onEnd: () => void;
};

const SaveBar = ({ opened, draft, onEnd }: SaveBarProps) => {
  const client = useQueryClient();
  const [isRestoring, setRestoring] = useState(false);
  const reload = (): void => void client.invalidateQueries({ queryKey: workspaceQuery.queryKey });
  const showSaved = (workspace: Workspace): void => {
    client.setQueryData(workspaceQuery.queryKey, workspace);
    setRestoring(false);
    onEnd();
    notify('The privacy settings are saved');
  };
  const saving = useChange({
    run: () => savePrivacy(draft, opened),
    changes: [workspaceQuery.queryKey],
    onDone: showSaved,
    onError: reload,
  });
  const restoring = useChange({
    run: () => savePrivacy({}, opened),
    changes: [workspaceQuery.queryKey],
    onDone: showSaved,
    onError: reload,
  });
  const discard = (): void => {
    saving.reset();
    reload();
    onEnd();
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(opened);
  return (
    <>
      <Problem error={saving.error} />
      <div className={css.buttons}>
        <Button
          kind="primary"
          isDisabled={!isChanged}
          isPending={saving.isPending}
          onPress={() => saving.mutate()}
        >
          Save
        </Button>
        <Button isDisabled={!isChanged} onPress={discard}>
          Discard changes
        </Button>
        <Button
          kind="quiet"
          onPress={() => {
            restoring.reset();
            setRestoring(true);
          }}
        >
          Restore the defaults
        </Button>
      </div>
      <ConfirmDialog
        title="Restore the default privacy settings?"
        isOpen={isRestoring}
        onClose={() => setRestoring(false)}
        action="Replace the settings"
        isPending={restoring.isPending}
        error={restoring.error}
        onConfirm={() => restoring.mutate()}
      >
        <p>
          All own terms and patterns are removed, and the default categories are masked. This cannot
          be undone.
        </p>
      </ConfirmDialog>
    </>
  );
};
