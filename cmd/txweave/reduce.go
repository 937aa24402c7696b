package main

import "github.com/spf13/cobra"

func reduceCommand() *cobra.Command { return &cobra.Command{Use: "reduce"} }
