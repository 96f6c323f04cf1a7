/* read: asks for a forecast until it is there. One is made at a time, so the answer may be that another is on its way. */
import type { Forecast } from "../../../generated/schema";
import { Problem, get } from "../../api";

/* Together well within the time that useLoad gives a read. */
const WAITS_MS = [1000, 1000, 2000, 2000, 4000];

function isBusy(error: unknown): boolean {
    return error instanceof Problem && (error.status === 429 || error.status === 503);
}

/* Ends early where nobody wants the answer any more. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
        });
    });
}

/** The forecast; onBusy is told when the server is busy and will be asked again. */
export async function readForecast(days: number, signal: AbortSignal, onBusy: (isBusy: boolean) => void): Promise<Forecast> {
    onBusy(false);
    for (const waitMs of WAITS_MS) {
        try {
            return await get<Forecast>("/v1/forecast", { days }, signal);
        } catch (error) {
            if (!isBusy(error)) {
                throw error;
            }
        }
        onBusy(true);
        await pause(waitMs, signal);
    }
    return get<Forecast>("/v1/forecast", { days }, signal);
}
