// Made by `gitsession hooks install`; `gitsession hooks uninstall` removes it.
import { spawn } from "node:child_process";

const program = "/usr/local/bin/gitsession";
const agent = "kilo";

const start = (hook) => {
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

export const Gitsession = async ({ directory }) => {
  return {
    event: async ({ event }) => {
      if (event.type !== "session.idle" && event.type !== "session.compacted") return;
      const session_id = event.properties && event.properties.sessionID;
      start({ hook_event_name: event.type, session_id, cwd: directory });
    },
  };
};
