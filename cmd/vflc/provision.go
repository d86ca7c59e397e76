package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/node/identity"
)

func newProvision() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "provision",
		Short: "Make the certificates with which the parties of a project know one another",
		Long: `Make the certificates with which the parties of a project know one another. Whoever keeps the project makes it once (init).
Each party makes its own keys in a folder of its own (request), and sends the request, which holds no secret. For each request
the keeper writes a bundle, which holds no secret either (add); the party copies its files beside its keys. Private keys are never
sent. A party renews its key before the certificate expires (renew, and add at the keeper). A certificate whose key was lost or may be
known to others, or of a party that leaves, is revoked.`,
		Example: `  vflc provision init heart --server registry --address coordinator.example.org:7422 --party hospital_a --party hospital_b
  vflc provision request hospital_a --project heart --party hospital_a
  vflc provision add heart registry/request.csr --server
  vflc provision add heart hospital_a/request.csr hospital_b/request.csr
  vflc provision sign build --identity registry
  vflc provision revoke heart hospital_a`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("provision needs init, request, add, renew, sign or revoke")
		},
	}
	cmd.AddCommand(newProvisionInit(), newProvisionRequest(), newProvisionAdd(), newProvisionRenew(),
		newProvisionSign(), newProvisionRevoke())
	return cmd
}

func newProvisionInit() *cobra.Command {
	var p identity.Project
	var clients []string
	cmd := &cobra.Command{
		Use:     "init DIR",
		Short:   "Make a project: its file, and its certificate authority",
		Example: `  vflc provision init heart --server registry --address coordinator.example.org:7422 --party hospital_a --party hospital_b`,
		Args:    oneArgument("a folder DIR for the project"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if p.Name == "" {
				p.Name = filepath.Base(filepath.Clean(args[0]))
			}
			p.Parties = append([]string{p.Server}, clients...)
			if err := identity.Init(args[0], p); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(),
				"wrote the project %s to %s; %s signs certificates: keep it where nobody else can read it\n",
				p.Name, args[0], filepath.Join(args[0], "ca.key"))
			authority, err := identity.AuthorityFingerprint(args[0])
			fmt.Fprintf(cmd.ErrOrStderr(), "authority of %s: %s\n", p.Name, authority)
			return err
		}),
	}
	cmd.Flags().StringVar(&p.Name, "name", "", "`name` of the project (default: that of the folder)")
	cmd.Flags().StringVar(&p.Server, "server", "",
		"`party` that is the server of the models and coordinates runs")
	cmd.Flags().StringVar(&p.Address, "address", "", "`HOST:PORT` at which clients reach the server")
	cmd.Flags().StringArrayVar(&clients, "party", nil,
		"a `client`; members of a family as lab[1], lab[2]; repeatable")
	return cmd
}

func newProvisionRequest() *cobra.Command {
	var project, party string
	cmd := &cobra.Command{
		Use:     "request DIR",
		Short:   "Make the keys of a party in its folder, and the request for its certificate",
		Example: `  vflc provision request hospital_a --project heart --party hospital_a`,
		Args:    oneArgument("a folder DIR for the party"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if project == "" || party == "" {
				return usagef("name the project and the party: --project NAME --party NAME")
			}
			if err := identity.Request(args[0], project, party); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(),
				"wrote the keys of %s to %s; send %s to whoever keeps the project, and no other file\n",
				party, args[0], filepath.Join(args[0], identity.RequestFile))
			key, err := identity.RequestFingerprint(filepath.Join(args[0], identity.RequestFile))
			fmt.Fprintf(cmd.ErrOrStderr(),
				"key of %s: %s\nread it to the keeper, who sees the same when the "+
					"request has come unchanged\n", party, key)
			return err
		}),
	}
	cmd.Flags().StringVar(&project, "project", "", "`name` of the project")
	cmd.Flags().StringVar(&party, "party", "", "`name` of the party in the models")
	return cmd
}

func newProvisionAdd() *cobra.Command {
	var may identity.Admission
	cmd := &cobra.Command{
		Use:   "add DIR REQUEST…",
		Short: "Certify requests, and write the bundle that each party copies beside its keys",
		Long: `Certify requests of parties that the project lists, and write the bundle that each party copies beside its keys. Anybody can write a
request for any name: compare the key that is printed with the one that vflc provision request has printed at the party, by telephone,
before you send the bundle. The party compares the authority in the same way (vflc preflight).`,
		Example: `  vflc provision add heart hospital_a/request.csr
  vflc provision add heart registry/request.csr --server`,
		Args: arguments(2, 0, "a folder DIR and one REQUEST or more"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			for _, request := range args[1:] {
				made, err := identity.Add(args[0], request, may)
				if err != nil {
					return err
				}
				if made.New {
					fmt.Fprintf(cmd.ErrOrStderr(),
						"%s is new: the project lists it from now on; send project.toml of the "+
							"project to all parties\n", made.Party)
				}
				if made.Renewed {
					fmt.Fprintf(cmd.ErrOrStderr(),
						"the key of %s is renewed: its earlier certificate is accepted for %s more; send %s to "+
							"all parties\n", made.Party, may.Overlap, filepath.Join(args[0], identity.RevokedFile))
				}
				fmt.Fprintf(cmd.ErrOrStderr(),
					"wrote %s: %s copies these files beside its keys; they hold no secret\nkey of "+
						"%s: %s\nauthority: %s\n", made.Bundle, made.Party, made.Party, made.Key,
					made.Authority)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&may.New, "new", false,
		"certify parties too that the project does not list, and list them")
	cmd.Flags().BoolVar(&may.Server, "server", false, "certify the server of the project too")
	cmd.Flags().DurationVar(&may.Overlap, "overlap", identity.Overlap,
		"of a renewal: `time` for which the earlier certificate is accepted beside the new one, as 24h")
	return cmd
}

func newProvisionRenew() *cobra.Command {
	return &cobra.Command{
		Use:   "renew DIR",
		Short: "Make the next key of a party in its folder, and the request for its certificate",
		Long: `Make the next key of a party in its folder, and the request for its certificate, signed with the key that it has. The keeper adds it
(vflc provision add), without a telephone: the key that the party has vouches for the next one. Until the party copies the bundle it takes part with the key
that it has, and from then on with the next one; a run that is interrupted for it goes on. What the party has spent of its budget stays known.
Whoever has the key can renew it too: where others may have it, let the keeper revoke the certificate, and begin with new keys (request).`,
		Example: `  vflc provision renew hospital_a`,
		Args:    oneArgument("the folder DIR of the party"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			key, err := identity.Renew(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "wrote the next key to %s; send %s to whoever keeps the project, and no "+
				"other file\nnext key: %s\n", args[0], filepath.Join(args[0], identity.RenewalFile), key)
			return nil
		}),
	}
}

func newProvisionSign() *cobra.Command {
	var own string
	cmd := &cobra.Command{
		Use:     "sign PROGRAMS",
		Short:   "Sign programs, for parties whose policy wants this party's signature",
		Example: `  vflc provision sign build --identity registry`,
		Args:    oneArgument("the folder PROGRAMS"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if own == "" {
				return usagef("name the folder with the party's keys and certificate: --identity DIR")
			}
			id, err := identity.Load(own)
			if err != nil {
				return err
			}
			return signPrograms(cmd, id, args[0])
		}),
	}
	cmd.Flags().StringVar(&own, "identity", "", "`folder` with the party's keys and certificate")
	return cmd
}

// signPrograms signs the manifests of a folder: of a run, and of what follows it.
func signPrograms(cmd *cobra.Command, id *identity.Identity, dir string) error {
	for _, part := range []string{"", compile.PredictDir, compile.ScoreDir} {
		manifest := filepath.Join(dir, part, split.ManifestFile)
		if _, err := os.Stat(manifest); part != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		path, err := id.SignPrograms(manifest)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(),
			"wrote %s, the signature of %s; it goes to all parties with the programs\n", path, id.Party)
	}
	return nil
}

func newProvisionRevoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke DIR PARTY",
		Short:   "Revoke the certificate of a party",
		Example: `  vflc provision revoke heart hospital_a`,
		Args:    arguments(2, 2, "a folder DIR and a PARTY"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := identity.Revoke(args[0], args[1]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(),
				"revoked %s; copy %s to the folder of every party, the server's first: it then ends the "+
					"connection within a second\n", args[1], filepath.Join(args[0], identity.RevokedFile))
			return nil
		}),
	}
}
