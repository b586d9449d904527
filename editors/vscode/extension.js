"use strict";

// Starts the language server; all else is its own: diagnostics, lenses, hover, "Try this".

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("goedels-poetry").get("command");
  const documentSelector = ["python", "lean4", "smt2"].map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("goedels-poetry", "Gödel's Poetry", { command, args }, { documentSelector });
  await client.start();
};

exports.deactivate = () => client?.stop();
