// Made by `gitsession hooks install`; `gitsession hooks uninstall` removes it.
import { spawn } from "node:child_process";

const program = "/usr/local/bin/gitsession";
const agent = "pi";

const start = (hook: object) => {
  try {
    const child = spawn(program, ["save", "--auto", "--hook", agent], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(hook));
    child.unref();
  } catch {}
};

export default function (pi: any) {
  for (const event of ["agent_end", "session_compact", "session_shutdown"]) {
    pi.on(event, async (_: unknown, context: any) => {
      try {
        const sessions = context.sessionManager;
        start({
          hook_event_name: event,
          session_id: sessions.getSessionId(),
          transcript_path: sessions.getSessionFile(),
          cwd: context.cwd,
        });
      } catch {}
    });
  }
}
