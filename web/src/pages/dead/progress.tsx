/* progress: replays and discards that go on at a rate, watched until none of theirs is left on the list. How many are left
 * is known only where the groups were made of all dead letters; where they were made of the newest, no bar is drawn.
 */
import { signal } from "@preact/signals";
import type { DeadGroups } from "../../../generated/schema";
import { get, type Query } from "../../api";
import { exactCount } from "../../format";
import { useEvery } from "../../load";
import { Bar } from "../../parts/panel";

interface Task {
    id: number;
    verb: string; // "Replaying"
    what: string;
    group: string;
    query: Query;
    total: number;
    left: number | null; // null: not known
    isOver: boolean;
}

const POLL_MS = 1000;
const SHOWN_MAX = 5;

const tasks = signal<Task[]>([]);
let lastId = 0;

export function watch(task: Omit<Task, "id" | "left" | "isOver">, isCounted: boolean) {
    const left = isCounted ? task.total : null;
    tasks.value = [...tasks.value.slice(1 - SHOWN_MAX), { ...task, id: ++lastId, left, isOver: false }];
}

async function look(task: Task): Promise<Task> {
    const groups = await get<DeadGroups>("/v1/dead/groups", task.query);
    if (groups.sample) {
        return { ...task, left: null };
    }
    const left = Math.min(task.total, groups.items.find((one) => one.group === task.group)?.count ?? 0);
    return { ...task, left, isOver: left === 0 };
}

async function lookAtAll(onChange: () => void) {
    const before = tasks.value;
    if (before.every((task) => task.isOver)) {
        return;
    }
    const after = await Promise.all(before.map((task) => (task.isOver ? task : look(task).catch(() => task))));
    tasks.value = tasks.value.map((task) => after.find((one) => one.id === task.id) ?? task);
    onChange();
}

function Line({ task }: { task: Task }) {
    const done = task.left === null ? null : task.total - task.left;
    const words = done === null ? `${exactCount(task.total)} in all` : `${exactCount(done)} of ${exactCount(task.total)}`;
    const close = () => (tasks.value = tasks.value.filter((one) => one.id !== task.id));
    return (
        <div class="progress-line">
            <span>
                {task.isOver ? "Done: " : ""}
                {task.verb} “{task.what}”
            </span>
            {done !== null && <Bar share={task.total > 0 ? done / task.total : 1} label={words} tone={task.isOver ? "ok" : "busy"} />}
            <span class="nowrap">{words}</span>
            <button type="button" class="dialog-close" aria-label="Stop watching" onClick={close}>
                ×
            </button>
        </div>
    );
}

export function Progress({ onChange }: { onChange: () => void }) {
    useEvery(POLL_MS, () => void lookAtAll(onChange));
    if (tasks.value.length === 0) {
        return null;
    }
    return (
        <div class="progress" role="status">
            {tasks.value.map((task) => (
                <Line key={task.id} task={task} />
            ))}
        </div>
    );
}
