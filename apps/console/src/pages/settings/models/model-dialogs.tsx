import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../../api/api-error.ts';
import { useChange } from '../../../app/use-change.ts';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { workspaceQuery } from '../workspace-query.ts';
import { deleteAlias, saveAlias, saveRouterList } from './models-query.ts';
import type { AliasDraft, RouterList, Target } from './models-query.ts';
import { readTargets, TargetEditor, toDrafts } from './target-editor.tsx';

const changes = [workspaceQuery.queryKey];

/** Returns a function that loads the workspace again, for a change that was refused. */
const useReload = (): (() => void) => {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: workspaceQuery.queryKey });
};

type AliasDialogProps = { alias?: AliasDraft; onClose: () => void };

/** Adds an alias or changes one. */
export const AliasDialog = ({ alias, onClose }: AliasDialogProps) => {
  const [name, setName] = useState(alias?.name ?? '');
  const [drafts, setDrafts] = useState(toDrafts(alias?.targets ?? []));
  const [problem, setProblem] = useState<string>();
  const saving = useChange({
    run: (draft: AliasDraft) => saveAlias(draft, alias),
    changes,
    onDone: onClose,
    onError: useReload(),
  });
  const submit = (): void => {
    try {
      if (name.trim() === '') throw new Error('Give the alias a name.');
      if (drafts.length === 0) throw new Error('Add at least one target.');
      const targets = readTargets(drafts);
      setProblem(undefined);
      saving.mutate({ name: name.trim(), targets });
    } catch (error) {
      setProblem(describeError(error));
    }
  };
  return (
    <Dialog title={alias ? 'Change the alias' : 'Add an alias'} isOpen onClose={onClose}>
      <DialogForm
        action={alias ? 'Save the alias' : 'Add the alias'}
        isPending={saving.isPending}
        problem={problem ?? saving.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextField
          label="Name"
          autoFocus
          value={name}
          onChange={setName}
          hint="What programs write as the model, such as “company-default”"
        />
        <TargetEditor drafts={drafts} onChange={setDrafts} />
      </DialogForm>
    </Dialog>
  );
};

type DeleteAliasDialogProps = { name: string; onClose: () => void };

export const DeleteAliasDialog = ({ name, onClose }: DeleteAliasDialogProps) => {
  const deleting = useChange({ run: () => deleteAlias(name), changes, onDone: onClose });
  return (
    <ConfirmDialog
      title={`Remove “${name}”?`}
      isOpen
      onClose={onClose}
      action="Remove the alias"
      isPending={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
    >
      <p>
        Calls that name it are routed like service-auto, unless a provider offers a model of that
        name.
      </p>
    </ConfirmDialog>
  );
};

type RouterDialogProps = {
  list: RouterList;
  title: string;
  targets: readonly Target[];
  onClose: () => void;
};

export const RouterDialog = ({ list, title, targets, onClose }: RouterDialogProps) => {
  // Those that are loaded again while the dialog is open are not what the user began with.
  const [opened] = useState(targets);
  const [drafts, setDrafts] = useState(toDrafts(targets));
  const [problem, setProblem] = useState<string>();
  const saving = useChange({
    run: (chosen: Target[]) => saveRouterList(list, chosen, opened),
    changes,
    onDone: onClose,
    onError: useReload(),
  });
  const submit = (): void => {
    try {
      const chosen = readTargets(drafts);
      setProblem(undefined);
      saving.mutate(chosen);
    } catch (error) {
      setProblem(describeError(error));
    }
  };
  return (
    <Dialog title={`Router: ${title}`} isOpen onClose={onClose}>
      <DialogForm
        action="Save the targets"
        isPending={saving.isPending}
        problem={problem ?? saving.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <p className="muted">Without targets, those of the operator apply.</p>
        <TargetEditor drafts={drafts} onChange={setDrafts} />
      </DialogForm>
    </Dialog>
  );
};
